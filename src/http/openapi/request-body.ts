import type * as t from 'io-ts';
import { FieldsType } from '../fields/fields-type.js';
import type { JsonSchema } from '../fields/json-schema.js';
import { JSON_LIMIT } from '../request/json-body.js';
import type { FieldsBody, OperationDescription } from './operation-description.js';

const FILE = {
  type: 'string',
  format: 'binary',
  contentMediaType: 'application/octet-stream',
  description: 'The file itself, with its name.',
};

// The schema of a `fields` codec: an object with properties, and `required` where there are required ones.
type FieldsSchema = {
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: ReadonlyArray<string>;
};

type Form = NonNullable<FieldsBody['form']>;

/** Each field has its own example, which is where Swagger UI looks for it in a form; an empty one is not sent. */
const formSchema = (
  { properties = {}, required = [] }: FieldsSchema,
  { isFileRequired, example }: Form,
): JsonSchema => {
  const shown = Object.entries(properties).map(([name, schema]) => [
    name,
    { ...schema, examples: [example[name] ?? ''] },
  ]);
  return {
    type: 'object',
    properties: { file: FILE, ...Object.fromEntries(shown) },
    ...(isFileRequired ? { required: [...required, 'file'] } : {}),
  };
};

const JSON_SIZE = `JSON: at most ${JSON_LIMIT / 1024} KiB.`;
const FILE_SIZE = 'at most `MAX_UPLOAD_BYTES` (100 MiB unless set)';
const FORM_SIZE = `Form: the file ${FILE_SIZE}, each field at most 64 KiB.`;

/** The schema is for generators of clients, which take a body without one for none. */
const fileBody = (mediaType: string): JsonSchema => ({
  description: `The file itself, ${FILE_SIZE}. Whatever its Content-Type is, it is not parsed.`,
  required: true,
  content: { [mediaType]: { schema: { type: 'string', format: 'binary' } } },
});

/** What the body of an operation may be; nothing for one without a body. */
export const requestBodyOf = ({ body }: OperationDescription, schemaOf: (codec: t.Mixed) => JsonSchema): JsonSchema => {
  if (body === undefined) return {};
  if ('mediaType' in body) return { requestBody: fileBody(body.mediaType) };
  return {
    requestBody: {
      description: body.form === undefined ? JSON_SIZE : `${FORM_SIZE} ${JSON_SIZE}`,
      required: body.json instanceof FieldsType && body.json.required.length > 0,
      // of two, NSwag and Kiota know the first alone; /docs shows the form first
      content: {
        'application/json': { schema: schemaOf(body.json), example: body.example },
        ...(body.form === undefined
          ? {}
          : { 'multipart/form-data': { schema: formSchema(schemaOf(body.form.codec), body.form) } }),
      },
    },
  };
};
