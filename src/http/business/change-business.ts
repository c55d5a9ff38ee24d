import { either as E } from 'fp-ts';
import type { BusinessUseCases } from '../../application/business/use-cases.js';
import type { Outcome } from '../../application/execute.js';
import type { BusinessRejection } from '../../domain/business/rejections.js';
import type { BusinessState } from '../../domain/business/state.js';
import { renderBusiness } from '../../read/business-view.js';
import type { AuthorizedContext } from '../request-context.js';
import { API } from '../paths.js';
import type { Failure } from '../problem/failure.js';
import { outcomeHeaders } from '../record/outcome-headers.js';
import { recordId } from '../record/record-id.js';
import { decodeRequest } from '../request/decode.js';
import { commandContextOf } from '../request/command-context-of.js';
import { readCommand } from '../request/read-command.js';
import { type HttpResponse, ok } from '../response/http-response.js';
import { CreateBusinessBody, UpdateBusinessBody } from './body.js';

/** The business as the command left it. */
const responseOf = (id: string, { after, ...outcome }: Outcome<BusinessState>): E.Either<Failure, HttpResponse> =>
  after._tag === 'NotCreated'
    ? E.left({ _tag: 'Unexpected', cause: 'a command has left no business behind' })
    : E.right(ok(renderBusiness(id, after), ...outcomeHeaders(outcome)));

export const createBusiness =
  ({ create }: Pick<BusinessUseCases, 'create'>) =>
  async (request: AuthorizedContext): Promise<E.Either<Failure | BusinessRejection, HttpResponse>> => {
    const read = await readCommand(request, decodeRequest(CreateBusinessBody));
    if (E.isLeft(read)) return read;
    const outcome = await create(...read.right);
    if (E.isLeft(outcome)) return outcome;
    const { businessId } = outcome.right;
    return E.map(({ headers = [], ...created }: HttpResponse) => ({
      ...created,
      headers: ['Location', `${API}/business/${businessId}`, ...headers],
    }))(responseOf(businessId, outcome.right));
  };

export const updateBusiness =
  ({ update }: Pick<BusinessUseCases, 'update'>) =>
  async (request: AuthorizedContext): Promise<E.Either<Failure | BusinessRejection, HttpResponse>> => {
    const read = await readCommand(request, decodeRequest(UpdateBusinessBody));
    if (E.isLeft(read)) return read;
    const id = recordId(request.params['id']);
    if (E.isLeft(id)) return id;
    const [context, changes] = read.right;
    const outcome = await update(context, id.right, changes);
    return E.isLeft(outcome) ? outcome : responseOf(id.right, outcome.right);
  };

export const deleteBusiness =
  ({ delete: remove }: Pick<BusinessUseCases, 'delete'>) =>
  async (request: AuthorizedContext): Promise<E.Either<Failure | BusinessRejection, HttpResponse>> => {
    const context = commandContextOf(request);
    if (E.isLeft(context)) return context;
    const id = recordId(request.params['id']);
    if (E.isLeft(id)) return id;
    const outcome = await remove(context.right, id.right);
    return E.isLeft(outcome) ? outcome : responseOf(id.right, outcome.right);
  };
