import { either as E } from 'fp-ts';
import type * as t from 'io-ts';

/** Where a request is wrong and what is expected there; never the value itself, which may be personal. */
export type Fault = { readonly path: string; readonly message: string };

/** The request does not say what it should; all its faults at once. */
export type RequestInvalid = { readonly _tag: 'RequestInvalid'; readonly errors: ReadonlyArray<Fault> };

export const requestInvalid = (...errors: ReadonlyArray<Fault>): RequestInvalid => ({ _tag: 'RequestInvalid', errors });

const faultOf = ({ context, message }: t.ValidationError): Fault => ({
  path: context
    .map(({ key }) => key)
    .filter((key) => key !== '')
    .join('.'),
  message: message ?? `expected ${context.at(-1)?.type.name ?? 'another value'}`,
});

export const decodeRequest =
  <A>(codec: t.Decoder<unknown, A>) =>
  (input: unknown): E.Either<RequestInvalid, A> => {
    const result = codec.decode(input);
    return E.isRight(result) ? result : E.left(requestInvalid(...result.left.map(faultOf)));
  };
