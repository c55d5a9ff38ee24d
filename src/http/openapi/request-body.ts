import type * as t from 'io-ts';
import type { JsonSchema } from '../fields/json-schema.js';
import { JSON_LIMIT } from '../request/json-body.js';
import type { OperationDescription } from './operation-description.js';

const FILE = { type: 'string', format: 'binary', contentMediaType: 'application/octet-stream' };

// The schema of a `fields` codec: an object with properties, and `required` where there are required ones.
type FieldsSchema = {
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: ReadonlyArray<string>;
};

type Form = NonNullable<NonNullable<OperationDescription['body']>['form']>;

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
    properties: { ...Object.fromEntries(shown), file: FILE },
    ...(isFileRequired ? { required: [...required, 'file'] } : {}),
  };
};

/** What the body of an operation may be; nothing for one without a body. */
export const requestBodyOf = ({ body }: OperationDescription, schemaOf: (codec: t.Mixed) => JsonSchema): JsonSchema => {
  if (body === undefined) return {};
  const json = schemaOf(body.json);
  return {
    requestBody: {
      description: `JSON: at most ${JSON_LIMIT / 1024} KiB.`,
      required: 'required' in json,
      content: {
        'application/json': { schema: json, example: body.example },
        ...(body.form === undefined
          ? {}
          : { 'multipart/form-data': { schema: formSchema(schemaOf(body.form.codec), body.form) } }),
      },
    },
  };
};
