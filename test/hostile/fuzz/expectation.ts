/** Which statuses a request may be answered with, beyond that the document has them. */
export type Expectation = {
  /** Undefined: any that is documented and no failure of the service. */
  readonly statuses: ReadonlyArray<number> | undefined;
  /** What a 400 must name as at fault, all of it at once: fields, parameters or headers. */
  readonly faults?: ReadonlyArray<string>;
  /** The `name` of the error object. */
  readonly error?: string;
};

export const anything: Expectation = { statuses: undefined };

export const only = (...statuses: ReadonlyArray<number>): Expectation => ({ statuses });

/** 400 `Validation Error` that names what is at fault. */
export const invalid = (...faults: ReadonlyArray<string>): Expectation => ({
  statuses: [400],
  faults,
  error: 'Validation Error',
});

export const error = (status: number, name: string): Expectation => ({ statuses: [status], error: name });
