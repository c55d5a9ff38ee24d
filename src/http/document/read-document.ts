import type { IncomingMessage } from 'node:http';
import { either as E, type taskEither as TE } from 'fp-ts';
import { pipe } from 'fp-ts/lib/function.js';
import type * as t from 'io-ts';
import type { StoredFile } from '../../domain/document/events.js';
import type { HttpContext } from '../exchange.js';
import { requestInvalid, type RequestInvalid } from '../problem/failure.js';
import { both } from '../request/both.js';
import { decodeRequest } from '../request/decode.js';
import { jsonBody } from '../request/json-body.js';
import { type Form, type FormDeps, type FormFailure, readForm } from './multipart.js';

/** The two ways in which one request may be written. */
type Encodings<Fields> = {
  readonly json: t.Decoder<unknown, Fields>;
  readonly form: t.Decoder<unknown, Fields>;
  /** Whether form data without a file is a fault; JSON never has one. */
  readonly isFileRequired: boolean;
};

type DocumentRequest<Fields> = { readonly fields: Fields; readonly file: StoredFile | undefined };

/** Whether a request brings form data, and so perhaps a file. */
export const isForm = ({ headers }: IncomingMessage): boolean =>
  /^multipart\/form-data[ \t]*(?:;|$)/i.test(headers['content-type'] ?? '');

const fileMissing = E.left(requestInvalid({ path: 'file', message: 'is required' }));

const readParts = <Fields>(
  { form, isFileRequired }: Encodings<Fields>,
  { fields, file }: Form,
): E.Either<RequestInvalid, DocumentRequest<Fields>> =>
  pipe(
    both(decodeRequest(form)(fields), isFileRequired && file === undefined ? fileMissing : E.right(file)),
    E.map(([read, stored]) => ({ fields: read, file: stored })),
  );

/** What a request asks of a document; the file it brings is stored by then, unless the request is at fault. */
export const readDocument =
  <Fields>(encodings: Encodings<Fields>, deps: FormDeps) =>
  (ctx: HttpContext): TE.TaskEither<FormFailure, DocumentRequest<Fields>> =>
  async () => {
    if (!isForm(ctx.req)) {
      const body = await jsonBody(ctx)();
      if (E.isLeft(body)) return body;
      const read = decodeRequest(encodings.json)(body.right);
      return E.isLeft(read) ? read : E.right({ fields: read.right, file: undefined });
    }
    const form = await readForm(deps)(ctx)();
    if (E.isLeft(form)) return form;
    const read = readParts(encodings, form.right);
    if (E.isLeft(read) && form.right.file !== undefined) await deps.discard(form.right.file.key)();
    return read;
  };
