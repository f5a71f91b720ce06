// The tarballs that the tests are given, and what is in them.

import { readFileSync } from "node:fs";
import { basename, delimiter } from "node:path";
import { gunzipSync } from "node:zlib";

const BLOCK = 512;

/** Each tarball: its name, its bytes and its files by their paths in the package. */
export const packages = (process.env.TOOLSHAPE_TARBALLS ?? "")
  .split(delimiter)
  .filter(Boolean)
  .map((path) => {
    const bytes = new Uint8Array(readFileSync(path));
    return { name: basename(path), bytes, files: unpacked(gunzipSync(bytes)) };
  });

/** The files of a tar archive (POSIX ustar), without the folder that npm puts around them. */
function unpacked(tar) {
  const files = new Map();
  const text = (start, length) =>
    tar
      .subarray(start, start + length)
      .toString("utf8")
      .replace(/\0.*$/s, "");
  for (let at = 0; at + BLOCK <= tar.length && tar[at] !== 0; ) {
    const size = parseInt(text(at + 124, 12), 8);
    const path = [text(at + 345, 155), text(at, 100)].filter(Boolean).join("/");
    const isFile = [0, 48].includes(tar[at + 156]);
    if (isFile)
      files.set(path.slice(path.indexOf("/") + 1), tar.subarray(at + BLOCK, at + BLOCK + size).toString("utf8"));
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
  return files;
}
