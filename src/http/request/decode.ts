import { either as E } from 'fp-ts';
import type * as t from 'io-ts';
import { requestInvalid, type RequestInvalid } from '../problem/failure.js';
import type { Fault } from '../problem/problem.js';

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
