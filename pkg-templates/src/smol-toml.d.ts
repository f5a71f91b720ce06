export function parse(toml: string): Record<string, unknown>;
