/** What a cause says of itself, in one line. */
export const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));
