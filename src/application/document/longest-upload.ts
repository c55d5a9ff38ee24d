/** Longest time, ms, from the first byte of an upload's request to its last; the HTTP server ends it then. */
export const LONGEST_UPLOAD = 3_600_000;
