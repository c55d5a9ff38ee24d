/** One part as it travels: its header and its content. */
export type Part = {
  readonly name: string;
  readonly content: string | Buffer;
  readonly filename?: string;
  readonly type?: string;
  /** More lines of its header. */
  readonly headers?: ReadonlyArray<string>;
};

const BOUNDARY = 'test-boundary-7d1f';

export const FORM_TYPE = `multipart/form-data; boundary=${BOUNDARY}`;

const headOf = ({ name, filename, type, headers = [] }: Part, boundary: string): string =>
  [
    `--${boundary}`,
    `Content-Disposition: form-data; name="${name}"${filename === undefined ? '' : `; filename="${filename}"`}`,
    ...(type === undefined ? [] : [`Content-Type: ${type}`]),
    ...headers,
    '',
    '',
  ].join('\r\n');

/** The bytes of a form with this boundary, exactly as said; nothing is escaped. */
export const formWithin = (boundary: string, ...parts: ReadonlyArray<Part>): Buffer =>
  Buffer.concat([
    ...parts.flatMap((part) => [Buffer.from(headOf(part, boundary)), Buffer.from(part.content), Buffer.from('\r\n')]),
    Buffer.from(`--${boundary}--\r\n`),
  ]);

export const formOf = (...parts: ReadonlyArray<Part>): Buffer => formWithin(BOUNDARY, ...parts);
