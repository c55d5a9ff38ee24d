import type { BusinessUseCases } from '../../application/business/use-cases.js';
import type { EntityReads } from '../../read/entity-reads.js';
import type { BusinessFilter } from '../../read/queries.js';
import { admins, auditors, editors, viewers } from '../authentication/roles.js';
import { API } from '../paths.js';
import { getRecord } from '../record/get-record.js';
import { listEvents } from '../record/list-events.js';
import { listRecords } from '../record/list-records.js';
import type { Route } from '../route.js';
import { createBusiness, deleteBusiness, updateBusiness } from './change-business.js';
import { businessListParameters, businessOperations } from './operations.js';
import { withBusinessRejections } from './rejections.js';
import { addOwner, removeOwner, updateOwner } from './change-owners.js';

const all = `${API}/business`;
const one = `${all}/:id`;
const owner = `${one}/owner`;
const named = `${owner}/:ownerId`;

const reading = (businesses: EntityReads<BusinessFilter>): ReadonlyArray<Route> => [
  {
    operation: 'listBusinesses',
    description: businessOperations.listBusinesses,
    method: 'GET',
    path: all,
    access: 'token',
    roles: viewers,
    handle: listRecords({ read: businessListParameters.read, queries: businesses }),
  },
  {
    operation: 'getBusiness',
    description: businessOperations.getBusiness,
    method: 'GET',
    path: one,
    access: 'token',
    roles: viewers,
    past: auditors,
    handle: getRecord(businesses.get),
  },
  {
    operation: 'listBusinessEvents',
    description: businessOperations.listBusinessEvents,
    method: 'GET',
    path: `${one}/events`,
    access: 'token',
    roles: auditors,
    handle: listEvents(businesses),
  },
];

const changing = (businesses: BusinessUseCases): ReadonlyArray<Route> => {
  const edit = { access: 'token', roles: editors } as const;
  const remove = { access: 'token', roles: admins } as const;
  const update = { method: 'PUT', ...edit, handle: withBusinessRejections(updateOwner(businesses)) } as const;
  const strike = { method: 'DELETE', ...remove, handle: withBusinessRejections(removeOwner(businesses)) } as const;
  return [
    {
      operation: 'createBusiness',
      description: businessOperations.createBusiness,
      method: 'POST',
      path: all,
      ...edit,
      handle: withBusinessRejections(createBusiness(businesses)),
    },
    {
      operation: 'updateBusiness',
      description: businessOperations.updateBusiness,
      method: 'PUT',
      path: one,
      ...edit,
      handle: withBusinessRejections(updateBusiness(businesses)),
    },
    {
      operation: 'deleteBusiness',
      description: businessOperations.deleteBusiness,
      method: 'DELETE',
      path: one,
      ...remove,
      handle: withBusinessRejections(deleteBusiness(businesses)),
    },
    {
      operation: 'addOwner',
      description: businessOperations.addOwner,
      method: 'POST',
      path: owner,
      ...edit,
      handle: withBusinessRejections(addOwner(businesses)),
    },
    { operation: 'updateOwner', description: businessOperations.updateOwner, path: owner, ...update },
    { operation: 'updateOwnerByPath', description: businessOperations.updateOwnerByPath, path: named, ...update },
    { operation: 'removeOwner', description: businessOperations.removeOwner, path: owner, ...strike },
    { operation: 'removeOwnerByPath', description: businessOperations.removeOwnerByPath, path: named, ...strike },
  ];
};

export const businessRoutes = (businesses: BusinessUseCases & EntityReads<BusinessFilter>): ReadonlyArray<Route> => [
  ...reading(businesses),
  ...changing(businesses),
];
