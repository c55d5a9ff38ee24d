/** One part as it travels: its headers (without the name, when `headers` is given) and its content. */
export type Part = {
  readonly name: string;
  readonly content: string | Buffer;
  readonly filename?: string;
  readonly type?: string;
};

const BOUNDARY = 'test-boundary-7d1f';

export const FORM_TYPE = `multipart/form-data; boundary=${BOUNDARY}`;

const headOf = ({ name, filename, type }: Part): string =>
  [
    `--${BOUNDARY}`,
    `Content-Disposition: form-data; name="${name}"${filename === undefined ? '' : `; filename="${filename}"`}`,
    ...(type === undefined ? [] : [`Content-Type: ${type}`]),
    '',
    '',
  ].join('\r\n');

/** The bytes of a form, exactly as said; nothing is escaped. */
export const formOf = (...parts: ReadonlyArray<Part>): Buffer =>
  Buffer.concat([
    ...parts.flatMap((part) => [Buffer.from(headOf(part)), Buffer.from(part.content), Buffer.from('\r\n')]),
    Buffer.from(`--${BOUNDARY}--\r\n`),
  ]);
