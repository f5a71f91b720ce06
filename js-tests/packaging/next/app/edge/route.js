// In the edge runtime, which compiles nothing: Next.js compiles the module as a file.

import { Shaper, countTokens, useModule } from "toolshape/slim";
import "toolshape/o200k_base";
import "toolshape/cl100k_base";
import module from "toolshape-wasm/toolshape.wasm?module";
import { answer } from "../work.js";

useModule(module);

export const runtime = "edge";

export function GET() {
  return answer({ Shaper, countTokens });
}
