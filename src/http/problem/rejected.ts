import { either as E } from 'fp-ts';
import type { Failure } from './failure.js';
import type { Problem } from './problem.js';

type Tagged = { readonly _tag: string };

/** What each rejection of a kind of entity means in HTTP; one without a row does not compile. */
type RejectionTable<Rejection extends Tagged> = { readonly [Tag in Rejection['_tag']]: Problem };

/** Makes a handler of one whose commands may be rejected by the decider of a kind of entity. */
export const withRejections = <Rejection extends Tagged>(problems: RejectionTable<Rejection>) => {
  const isRejection = (failure: Failure | Rejection): failure is Rejection => Object.hasOwn(problems, failure._tag);
  return <Request, HttpResponse>(handle: (request: Request) => Promise<E.Either<Failure | Rejection, HttpResponse>>) =>
    async (request: Request): Promise<E.Either<Failure, HttpResponse>> => {
      const handled = await handle(request);
      if (E.isRight(handled)) return handled;
      const failure = handled.left;
      if (!isRejection(failure)) return E.left(failure);
      const tag: Rejection['_tag'] = failure._tag;
      return E.left({ _tag: 'Rejected', rejection: tag, problem: problems[tag] });
    };
};
