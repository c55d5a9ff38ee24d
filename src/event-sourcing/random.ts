/** Chance, given by the composition. */
export type Random = {
  /** Bytes that nobody can foretell. Keys, salts and secrets are drawn from them. */
  readonly bytes: (size: number) => Buffer;
  /** A UUID of version 7 (RFC 9562, 5.7): ids that were drawn in different milliseconds sort by these. */
  readonly uuid: () => string;
  /** At least 0, less than 1: for jitter, never for a secret. */
  readonly fraction: () => number;
};
