// In Node, as the package is imported anywhere.

import { Shaper, countTokens } from "toolshape";
import "toolshape/cl100k_base";
import { answer } from "../work.js";

export const dynamic = "force-dynamic";

export function GET() {
  return answer({ Shaper, countTokens });
}
