import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

/** An answer as it was received, and the request that it answers. */
export type Exchanged = {
  readonly method: string;
  /** With its query, from the root. */
  readonly path: string;
  readonly status: number;
  /** Null when there is none. */
  readonly contentType: string | null;
  readonly text: string;
};

type Responses = Readonly<
  Record<string, { readonly content?: Readonly<Record<string, { readonly schema?: object }>> }>
>;

export type Described = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly responses: Responses }>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
};

const ERROR = { $ref: '#/components/schemas/Error' };

/** What becomes of a request that no operation takes. */
const unroutedResponses: Responses = {
  204: {},
  404: { content: { 'application/json': { schema: ERROR } } },
  405: { content: { 'application/json': { schema: ERROR } } },
};

const matcher = (template: string): RegExp => new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}/?$`);

const mediaTypeOf = (contentType: string | null): string | undefined => contentType?.split(';')[0]?.trim();

/**
 * Holds answers to a description of the API: status, media type and JSON body must be described for the operation
 * that the request was for. The function it gives throws for the first one that is not.
 */
export const makeConforms = (document: Described): ((exchanged: Exchanged) => void) => {
  const ajv = new Ajv2020.default({ strict: true, strictTypes: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addVocabulary(['components']);
  ajv.addSchema({ $id: 'api', components: document.components });
  const validators = new Map<string, ValidateFunction>();
  const templates = Object.entries(document.paths).map(([path, methods]) => ({ matches: matcher(path), methods }));

  const validatorOf = (schema: object): ValidateFunction => {
    const text = JSON.stringify(schema).replaceAll('"#/components', '"api#/components');
    const known = validators.get(text) ?? ajv.compile(JSON.parse(text) as object);
    validators.set(text, known);
    return known;
  };

  const responsesTo = (method: string, path: string): Responses => {
    const name = method === 'HEAD' ? 'get' : method.toLowerCase();
    const [template] = templates.filter(({ matches }) => matches.test(path));
    return template?.methods[name]?.responses ?? unroutedResponses;
  };

  return ({ method, path, status, contentType, text }) => {
    const refuse = (why: string): never => {
      throw new Error(`${method} ${path} answered ${status}, ${why}`);
    };
    const response = responsesTo(method, path.split('?')[0] ?? path)[String(status)];
    if (response === undefined) return refuse('which is not described');
    const described = Object.entries(response.content ?? {});
    const mediaType = mediaTypeOf(contentType);
    if (described.length === 0) {
      if (text !== '') refuse('with a body that is not described');
      return;
    }
    const content = described.find(([type]) => type === mediaType || type === '*/*')?.[1];
    if (content === undefined) return refuse(`as ${String(mediaType)}, which is not described`);
    if (content.schema === undefined || method === 'HEAD') return;
    const validate = validatorOf(content.schema);
    if (!validate(JSON.parse(text))) refuse(`in another form: ${ajv.errorsText(validate.errors)}`);
  };
};
