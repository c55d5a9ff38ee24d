import { either as E } from 'fp-ts';
import { fields } from '../../fields/fields-type.js';
import { TEXT_LIMIT, UNSEEN } from '../../fields/text.js';
import { parameter } from '../../parameters/parameter.js';
import { requestInvalid, type RequestInvalid } from '../../problem/failure.js';
import { both } from '../../request/both.js';
import { decodeRequest } from '../../request/decode.js';
import type { RequestContext } from '../../request-context.js';
import { originalNameOf } from '../original-name.js';
import { fileNameIn } from './content-disposition.js';

export const PutFileParameters = fields({
  originalName: parameter<string>({
    expectation: 'a file name',
    meaning:
      'How the file is called, unless `Content-Disposition` says it. What comes before a slash is left out, and so are ' +
      `control characters and what is beyond ${TEXT_LIMIT} characters.`,
    // something that is seen behind the last slash, beside one or two dots
    schema: { type: 'string', pattern: `([^/\\\\.${UNSEEN}]|\\.[^/\\\\]*\\.[^/\\\\]*\\.)[^/\\\\]*$` },
    read: originalNameOf,
  }),
});

const HEADER = 'Content-Disposition';

const refused = (path: string, message: string): E.Either<RequestInvalid, never> =>
  E.left(requestInvalid({ path, message }));

const unreadable = refused(
  HEADER,
  'must be sent once, have each parameter once, and a file name that can be seen, in UTF-8, where it has one (RFC 6266)',
);

const missing = refused('originalName', `is required where no ${HEADER} has a file name`);

const different = refused('originalName', `must be the file name that the ${HEADER} has, or be left out`);

const nameInHeader = ({ req }: RequestContext['ctx']): E.Either<RequestInvalid, string | undefined> => {
  const [header, ...others] = req.headersDistinct['content-disposition'] ?? [];
  if (header === undefined) return E.right(undefined);
  const found = fileNameIn(header);
  if (others.length > 0 || E.isLeft(found)) return unreadable;
  if (found.right === undefined) return E.right(undefined);
  const name = originalNameOf(found.right);
  return name === undefined ? unreadable : E.right(name);
};

/** How the file is called that is the body of a request. As in a form, there is no file without a name. */
export const readFileName = ({ ctx, query }: RequestContext): E.Either<RequestInvalid, string> => {
  const read = both(decodeRequest(PutFileParameters)(query), nameInHeader(ctx));
  if (E.isLeft(read)) return read;
  const [{ originalName }, named] = read.right;
  const name = originalName ?? named;
  if (name === undefined) return missing;
  return named === undefined || name === named ? E.right(name) : different;
};
