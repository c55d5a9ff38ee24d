import { either as E, option as O } from 'fp-ts';
import type { FileContents, GetFile } from '../../../read/get-file.js';
import { type Exchange, isHead } from '../../exchange.js';
import type { Failure } from '../../problem/failure.js';
import { askedRecord } from '../../record/asked-record.js';
import { admitFoldFor } from '../../record/admit-fold-for.js';
import type { Answer } from '../../response/answer.js';
import { fileResponse } from './file-response.js';

/** A file of at most so many bytes is sent in one part: it takes no place among those that are read for long. */
const SHORT = 64 * 1024;

export type FileReads = { readonly getFile: GetFile; readonly openFile: FileContents['open'] };

/** GET of a document's file: the one it has now, or had at a revision or an instant. */
export const getFile =
  ({ getFile: find, openFile }: FileReads) =>
  async (exchange: Exchange): Promise<E.Either<Failure, Answer>> => {
    const asked = askedRecord(exchange);
    if (E.isLeft(asked)) return asked;
    const { id, asOf, conditions } = asked.right;
    const version = await find(id, asOf, admitFoldFor(exchange));
    if (E.isLeft(version)) return version;
    if (O.isNone(version.right)) return E.left({ _tag: 'EntityNotFound' });
    const { file } = version.right.value;
    const isLong = file !== null && file.size > SHORT && !isHead(exchange);
    if (isLong && !(await exchange.ctx.state.take('files'))) return E.left({ _tag: 'Overloaded' });
    return fileResponse(openFile)(version.right.value, exchange.ctx.req, conditions);
  };
