import { either as E } from 'fp-ts';
import type * as t from 'io-ts';
import { expectationOf, pathOf } from '../../event-sourcing/validation-errors.js';
import { requestInvalid, type RequestInvalid } from '../problem/failure.js';
import type { Fault } from '../problem/problem.js';

const faultOf = ({ context, message }: t.ValidationError): Fault => ({
  path: pathOf(context),
  message: message ?? expectationOf(context),
});

export const decodeRequest =
  <A>(codec: t.Decoder<unknown, A>) =>
  (input: unknown): E.Either<RequestInvalid, A> => {
    const result = codec.decode(input);
    return E.isRight(result) ? result : E.left(requestInvalid(...result.left.map(faultOf)));
  };
