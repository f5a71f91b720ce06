// Installs a host from its lists of packages, pinned, into a folder.

import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Installs what the lists in `source` name into `target`, unless it is there. No script of a package runs but `setup`, which
 * puts a program in its place.
 */
export function install(source, target, setup) {
  const lists = ["package.json", "package-lock.json", "requirements.txt"].filter((list) =>
    existsSync(join(source, list)),
  );
  const wanted = lists.map((list) => readFileSync(join(source, list), "utf8")).join("\n");
  const stamp = join(target, ".made-from");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return;
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  // Not `npm ci`: it refuses a lock file without the packages of platforms that a registry does not have.
  for (const list of lists) copyFileSync(join(source, list), join(target, list));
  if (lists.includes("package.json")) run("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund"], target);
  if (setup) run(process.execPath, [join("node_modules", setup)], target);
  if (lists.includes("requirements.txt")) {
    run(process.env.PYTHON ?? "python3", ["-m", "venv", target], target);
    const pip = ["-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--no-deps", "--no-compile"];
    run(join(target, "bin/python"), [...pip, "--requirement", "requirements.txt"], target);
  }
  writeFileSync(stamp, wanted);
}

const run = (command, args, cwd) => execFileSync(command, args, { cwd, stdio: ["ignore", "ignore", "inherit"] });

/** The release of a package that is installed in `target`. */
export function release(target, name) {
  const manifest = join(target, "node_modules", name, "package.json");
  if (existsSync(manifest)) return JSON.parse(readFileSync(manifest, "utf8")).version;
  const script = `import importlib.metadata as m; print(m.version("${name}"))`;
  return execFileSync(join(target, "bin/python"), ["-c", script], { encoding: "utf8" }).trim();
}
