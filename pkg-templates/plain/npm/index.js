import { fileURLToPath } from "node:url";

export const plainModule = fileURLToPath(new URL("./toolshape.wasm", import.meta.url));
export const extismPlugin = fileURLToPath(new URL("./toolshape_extism.wasm", import.meta.url));
