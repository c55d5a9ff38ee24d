/** What form data may bring beside its file, bytes. */
export const FORM_OVERHEAD = 512 * 1024;

// The longest text is 10,000 characters of at most 4 bytes; a list of tags may be a little longer.
const FIELD_BYTES = 64 * 1024;
const FIELD_NAME_BYTES = 100;
const PARTS = 64;

/** What multer passes on to its parser, in bytes and counts, with `fileSize` for the file's content. */
export const formLimits = (fileSize: number) => ({
  fileSize,
  fieldSize: FIELD_BYTES,
  fieldNameSize: FIELD_NAME_BYTES,
  parts: PARTS,
  headerPairs: PARTS,
  // `a[4294967294]` would make an array with that many holes, over which the parser itself then goes
  fieldArrayIndexLimit: PARTS,
});
