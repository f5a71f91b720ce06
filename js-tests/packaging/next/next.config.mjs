// The packages are in the folder above.

import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

const above = dirname(dirname(fileURLToPath(import.meta.url)));

export default { turbopack: { root: above }, outputFileTracingRoot: above };
