import { either as E } from 'fp-ts';
import type * as t from 'io-ts';
import type { StoredFile } from '../../../domain/document/events.js';
import { readBody } from '../../parameters/unknown.js';
import type { RequestContext } from '../../request-context.js';
import { requestInvalid } from '../../problem/failure.js';
import { both } from '../../request/both.js';
import { decodeRequest } from '../../request/decode.js';
import type { UploadDeps, UploadFailure } from '../upload.js';
import { readForm } from './multipart.js';

/** What form data has to bring. */
type FormShape<Fields> = { readonly fields: t.Decoder<unknown, Fields>; readonly isFileRequired: boolean };

const fileMissing = E.left(requestInvalid({ path: 'file', message: 'is required' }));

/** What form data asks of a document: its fields, and the file it brings, which is stored by then. */
export const readDocumentForm = async <Fields>(
  request: Pick<RequestContext, 'ctx' | 'unknown'>,
  { fields, isFileRequired }: FormShape<Fields>,
  deps: UploadDeps,
): Promise<E.Either<UploadFailure, readonly [Fields, StoredFile | undefined]>> => {
  const form = await readForm(request.ctx, deps);
  if (E.isLeft(form)) return form;
  const { file } = form.right;
  const found = isFileRequired && file === undefined ? fileMissing : E.right(file);
  // an empty `file` is no field: it stands for no file
  const { file: _, ...given } = form.right.fields;
  return both(readBody(request, decodeRequest(fields), given), found);
};
