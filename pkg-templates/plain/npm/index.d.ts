/** The path of the module, which imports nothing. */
export declare const plainModule: string;
/** The path of the same module as a plug-in of Extism, whose function `call` takes a message and returns its answer. */
export declare const extismPlugin: string;
