// An element up to its comma; a quoted text may have commas, and a quote that is not closed reaches to the end.
const ELEMENT = /(?:[^",]|"(?:[^"\\]|\\.?)*(?:"|$))+/g;

/** The elements of a header that is a list (RFC 9110 §5.6.1), in one pass. */
export const listElements = (header: string): ReadonlyArray<string> => header.match(ELEMENT) ?? [];
