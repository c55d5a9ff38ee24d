/** One fault of a request: `path` is the body's field, the parameter or the header; never the value. */
export type Fault = { readonly path: string; readonly message: string };

/** What the client gets of a failure: the contract's error object, and the headers that go with it. */
export type Problem = {
  readonly status: number;
  readonly name: string;
  readonly message: string;
  /** Stable, for programs. */
  readonly code?: string;
  readonly errors?: ReadonlyArray<Fault>;
  /** Whether the connection ends with it. */
  readonly closes?: boolean;
  /** Name, value, name, value … */
  readonly headers?: ReadonlyArray<string>;
};

export const invalid = (...errors: ReadonlyArray<Fault>): Problem => ({
  status: 400,
  name: 'Validation Error',
  message: 'The request is not valid',
  errors,
});

export const notFound: Problem = { status: 404, name: 'Entity not found', message: 'Entity not found' };

export const conflict = (message: string): Problem => ({ status: 409, name: 'Conflict', message });
