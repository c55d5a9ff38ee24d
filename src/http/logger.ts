/** What the HTTP layer wants of a log; pino satisfies it. No payloads, tokens, queries or bodies ever go in. */
export type Logger = {
  readonly info: (fields: object, message: string) => void;
  readonly error: (fields: object, message: string) => void;
};
