import type { IncomingMessage } from 'node:http';
import { either as E } from 'fp-ts';
import { pipe } from 'fp-ts/lib/function.js';
import type * as t from 'io-ts';
import type { StoredFile } from '../../../domain/document/events.js';
import type { KoaContext } from '../../request-context.js';
import { requestInvalid, type RequestInvalid } from '../../problem/failure.js';
import { both } from '../../request/both.js';
import { decodeRequest } from '../../request/decode.js';
import { type Form, type FormDeps, type FormFailure, readForm } from './multipart.js';

/** What form data has to bring. */
type FormShape<Fields> = { readonly fields: t.Decoder<unknown, Fields>; readonly isFileRequired: boolean };

/** What a form asks of a document. */
type DocumentRequest<Fields> = { readonly fields: Fields; readonly file: StoredFile | undefined };

/** Whether a request brings form data, and so perhaps a file. */
export const isForm = ({ headers }: IncomingMessage): boolean =>
  /^multipart\/form-data[ \t]*(?:;|$)/i.test(headers['content-type'] ?? '');

const fileMissing = E.left(requestInvalid({ path: 'file', message: 'is required' }));

const readParts = <Fields>(
  shape: FormShape<Fields>,
  { fields, file }: Form,
): E.Either<RequestInvalid, DocumentRequest<Fields>> =>
  pipe(
    both(decodeRequest(shape.fields)(fields), shape.isFileRequired && file === undefined ? fileMissing : E.right(file)),
    E.map(([read, stored]) => ({ fields: read, file: stored })),
  );

/** What form data asks of a document; the file it brings is stored by then. */
export const readDocumentForm = async <Fields>(
  ctx: KoaContext,
  shape: FormShape<Fields>,
  deps: FormDeps,
): Promise<E.Either<FormFailure, DocumentRequest<Fields>>> => {
  const form = await readForm(ctx, deps);
  return E.isLeft(form) ? form : readParts(shape, form.right);
};
