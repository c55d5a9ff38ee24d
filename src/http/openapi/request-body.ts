import type * as t from 'io-ts';
import type { JsonSchema } from '../fields/json-schema.js';
import type { OperationDescription } from './operations.js';

const FILE = { type: 'string', format: 'binary', contentMediaType: 'application/octet-stream' };

// The schemas of request bodies are of fields: an object with properties, and required ones where there are any.
type FieldsSchema = { readonly properties?: JsonSchema; readonly required?: ReadonlyArray<string> };

const formSchema = ({ properties = {}, required = [] }: FieldsSchema, isFileRequired: boolean): JsonSchema => ({
  type: 'object',
  properties: { ...properties, file: FILE },
  ...(isFileRequired ? { required: [...required, 'file'] } : {}),
});

/** What the body of an operation may be; nothing for one without a body. */
export const requestBodyOf = ({ body }: OperationDescription, schemaOf: (codec: t.Mixed) => JsonSchema): JsonSchema => {
  if (body === undefined) return {};
  const json = schemaOf(body.json);
  const form = body.form === undefined ? undefined : formSchema(schemaOf(body.form.codec), body.form.isFileRequired);
  return {
    requestBody: {
      required: 'required' in json,
      content: {
        'application/json': { schema: json },
        ...(form === undefined ? {} : { 'multipart/form-data': { schema: form } }),
      },
    },
  };
};
