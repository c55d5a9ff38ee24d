import { either as E } from 'fp-ts';
import type { BusinessUseCases } from '../../application/business/use-cases.js';
import type { Outcome } from '../../application/execute.js';
import type { BusinessRejection } from '../../domain/business/rejections.js';
import type { BusinessState } from '../../domain/business/state.js';
import { renderBusiness } from '../../read/business-view.js';
import type { AuthorizedContext } from '../request-context.js';
import { API } from '../paths.js';
import type { Failure } from '../problem/failure.js';
import { recordResponse } from '../record/command-response.js';
import { recordId } from '../record/record-id.js';
import { decodeRequest } from '../request/decode.js';
import { commandContextOf } from '../request/command-context-of.js';
import { readCommand } from '../request/read-command.js';
import type { HttpResponse } from '../response/http-response.js';
import { CreateBusinessBody, UpdateBusinessBody } from './body.js';

/** A deleted business is shown as it was. */
export const renderAnyBusiness = (id: string, { after }: Outcome<BusinessState>): string | undefined =>
  after._tag === 'NotCreated' || after._tag === 'Erased' ? undefined : renderBusiness(id, after);

export const createBusiness =
  ({ create }: Pick<BusinessUseCases, 'create'>) =>
  async (request: AuthorizedContext): Promise<E.Either<Failure | BusinessRejection, HttpResponse>> => {
    const read = await readCommand(request, decodeRequest(CreateBusinessBody));
    if (E.isLeft(read)) return read;
    const created = await create(...read.right);
    if (E.isLeft(created)) return created;
    const { businessId } = created.right;
    return recordResponse(businessId, created, renderAnyBusiness, 'Location', `${API}/business/${businessId}`);
  };

export const updateBusiness =
  ({ update }: Pick<BusinessUseCases, 'update'>) =>
  async (request: AuthorizedContext): Promise<E.Either<Failure | BusinessRejection, HttpResponse>> => {
    const read = await readCommand(request, decodeRequest(UpdateBusinessBody));
    if (E.isLeft(read)) return read;
    const id = recordId(request.params['id']);
    if (E.isLeft(id)) return id;
    const [context, changes] = read.right;
    return recordResponse(id.right, await update(context, id.right, changes), renderAnyBusiness);
  };

export const deleteBusiness =
  ({ delete: remove }: Pick<BusinessUseCases, 'delete'>) =>
  async (request: AuthorizedContext): Promise<E.Either<Failure | BusinessRejection, HttpResponse>> => {
    const context = commandContextOf(request);
    if (E.isLeft(context)) return context;
    const id = recordId(request.params['id']);
    if (E.isLeft(id)) return id;
    return recordResponse(id.right, await remove(context.right, id.right), renderAnyBusiness);
  };
