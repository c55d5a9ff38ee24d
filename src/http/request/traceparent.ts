// W3C Trace Context, level 1, §3.2.2: version ff, and ids of zeros alone, are invalid.
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** The trace a request belongs to; a malformed header is ignored, as the standard demands. */
export const traceparentOf = (header: string | ReadonlyArray<string> | undefined): string | undefined =>
  typeof header === 'string' && TRACEPARENT.test(header) ? header : undefined;
