import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

/** An answer as it was received, and the request that it answers. */
export type Exchanged = {
  readonly method: string;
  /** With its query, from the root. */
  readonly path: string;
  readonly status: number;
  /** The value of a header of the answer, by its name in any case; null when there is none. */
  readonly header: (name: string) => string | null;
  readonly text: string;
};

type DescribedHeader = { readonly required?: boolean; readonly schema?: object };

type DescribedResponse = {
  readonly headers?: Readonly<Record<string, DescribedHeader>>;
  readonly content?: Readonly<Record<string, { readonly schema?: object }>>;
};

type Reference = { readonly $ref: string };

type Responses = Readonly<Record<string, DescribedResponse | Reference>>;

const isReference = (response: DescribedResponse | Reference): response is Reference => '$ref' in response;

/** Operations by their methods, by their paths. */
export type Paths<Operation> = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

export type Described = {
  readonly paths: Paths<{ readonly responses: Responses }>;
  readonly components: {
    readonly schemas: Readonly<Record<string, object>>;
    readonly responses: Readonly<Record<string, DescribedResponse>>;
  };
};

const anError: DescribedResponse = {
  content: {
    'application/json': { schema: { $ref: '#/components/schemas/Error' } },
    'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
  },
};

/** What becomes of a request that no operation takes. */
const unroutedResponses: Responses = {
  204: {},
  404: anError,
  405: { ...anError, headers: { Allow: { required: true } } },
};

/** What becomes of a request for the root, which leads to a page for people and is not described. */
const rootResponses: Responses = {
  ...unroutedResponses,
  302: { headers: { Location: { required: true } } },
  400: anError,
};

/** What becomes of a request that could not be read as one; the connection is closed behind it. */
const unreadResponses: Responses = { 400: anError, 408: anError, 431: anError, 501: anError };

/** The index of a tile may have slashes, which no description can say. */
const matcher = (template: string): RegExp => {
  const parameter = template.startsWith('/tlog/tile/') ? '.+' : '[^/]+';
  return new RegExp(`^${template.replaceAll('.', '\\.').replace(/\{\w+\}/g, parameter)}/?$`);
};

const mediaTypeOf = (contentType: string | null): string | undefined => contentType?.split(';')[0]?.trim();

/** Compiles the schemas of a document, each once. */
const makeValidatorOf = ({ components }: Described): ((schema: object) => ValidateFunction) => {
  const ajv = new Ajv2020.default({ strict: true, strictTypes: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addVocabulary(['components']);
  ajv.addSchema({ $id: 'api', components: { schemas: components.schemas } });
  const validators = new Map<object, ValidateFunction>();
  return (schema) => {
    const known =
      validators.get(schema) ??
      ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"api#/components')) as object);
    validators.set(schema, known);
    return known;
  };
};

const errorsOf = ({ errors }: ValidateFunction): string =>
  (errors ?? []).map(({ instancePath, message = '' }) => `${instancePath} ${message}`.trim()).join(', ');

/** The responses that a document has for a request; those of no operation where none takes it. */
const makeResponsesTo = ({ paths }: Described): ((method: string, path: string) => Responses) => {
  const templates = Object.entries(paths).map(([path, methods]) => ({ matches: matcher(path), methods }));
  return (method, path) => {
    const name = method === 'HEAD' ? 'get' : method.toLowerCase();
    const template = templates.find(({ matches }) => matches.test(path));
    return template?.methods[name]?.responses ?? (path === '/' ? rootResponses : unroutedResponses);
  };
};

/**
 * Holds answers to a description of the API: status, headers, media type and JSON body must be described for the
 * operation that the request was for, and the headers that are always there must be. The function it gives throws for
 * the first one that is not.
 */
export const makeConforms = (document: Described): ((exchanged: Exchanged) => void) => {
  const validatorOf = makeValidatorOf(document);
  const responsesTo = makeResponsesTo(document);

  const hold = (what: string, schema: object, value: unknown): void => {
    const validate = validatorOf(schema);
    if (!validate(value)) throw new Error(`${what} in another form: ${errorsOf(validate)}`);
  };
  const holdHeaders = ({ headers = {} }: DescribedResponse, header: Exchanged['header']): void => {
    for (const [name, { required = false, schema }] of Object.entries(headers)) {
      const value = header(name);
      if (value === null && required) throw new Error(`without ${name}`);
      if (value !== null && schema !== undefined) hold(`with ${name}`, schema, value);
    }
  };
  const holdBody = ({ content = {} }: DescribedResponse, { method, header, text }: Exchanged): void => {
    const described = Object.entries(content);
    if (described.length === 0 && text !== '') throw new Error('with a body that is not described');
    if (described.length === 0) return;
    const mediaType = mediaTypeOf(header('content-type'));
    const [type = '', found] = described.find(([name]) => name === mediaType || name === '*/*') ?? [];
    if (found === undefined) throw new Error(`as ${String(mediaType)}, which is not described`);
    const value = (): unknown => (/[/+]json$/.test(type) ? JSON.parse(text) : text);
    if (found.schema !== undefined && method !== 'HEAD') hold('with a body', found.schema, value());
  };

  return (exchanged) => {
    const { method, path, status, header } = exchanged;
    const isClosed = header('connection') === 'close';
    const found =
      responsesTo(method, path.split('?')[0] ?? path)[status] ?? (isClosed ? unreadResponses[status] : undefined);
    const response =
      found !== undefined && isReference(found)
        ? document.components.responses[found.$ref.slice('#/components/responses/'.length)]
        : found;
    try {
      if (response === undefined) throw new Error('which is not described');
      holdHeaders(response, header);
      holdBody(response, exchanged);
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new Error(`${method} ${path} answered ${status}, ${why}`, { cause });
    }
  };
};
