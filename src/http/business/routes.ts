import type { BusinessUseCases } from '../../application/business/use-cases.js';
import type { EntityReads } from '../../read/entity-reads.js';
import type { BusinessFilter } from '../../read/queries.js';
import { admins, auditors, editors, viewers } from '../authentication/roles.js';
import type { Links } from '../link/links.js';
import { API } from '../paths.js';
import { getRecord } from '../record/get-record.js';
import { listEvents } from '../record/list-events.js';
import { linkEventsRows } from '../record/link-events.js';
import { listRecords } from '../record/list-records.js';
import { describedBy, recordedReadsOf, type Route, rowOf } from '../route.js';
import { createBusiness, deleteBusiness, updateBusiness } from './change-business.js';
import { businessListParameters, businessOperations, linkedAs } from './operations.js';
import { withBusinessRejections } from './rejections.js';
import { restoreBusinessById, revertBusinessById, type UndoingOfBusinesses } from './undo-business.js';
import { addOwner, removeOwner, updateOwner } from './change-owners.js';

type Businesses = BusinessUseCases & EntityReads<BusinessFilter> & UndoingOfBusinesses;

const all = `${API}/business`;
const one = `${all}/:id`;
const owner = `${one}/owner`;
const named = `${owner}/:ownerId`;

const { always, past, preview } = recordedReadsOf('Business');

const described = describedBy(businessOperations);
const row = rowOf(businessOperations, { absent: 'business_not_found' });

const reading = (businesses: EntityReads<BusinessFilter>): ReadonlyArray<Route> => {
  const list = listRecords({ read: businessListParameters.read, reads: businesses });
  return [
    { ...row('listBusinesses', 'GET', all, viewers), handle: list },
    { ...row('getBusiness', 'GET', one, viewers), past: auditors, recorded: past, handle: getRecord(businesses) },
    {
      ...row('listBusinessEvents', 'GET', `${one}/events`, auditors),
      recorded: always,
      handle: listEvents(businesses),
    },
  ];
};

const changing = (businesses: Businesses): ReadonlyArray<Route> => {
  const restore = withBusinessRejections(restoreBusinessById(businesses));
  const revert = withBusinessRejections(revertBusinessById(businesses));
  const update = withBusinessRejections(updateOwner(businesses));
  const remove = withBusinessRejections(removeOwner(businesses));
  return [
    { ...row('createBusiness', 'POST', all, editors), handle: withBusinessRejections(createBusiness(businesses)) },
    { ...row('updateBusiness', 'PUT', one, editors), handle: withBusinessRejections(updateBusiness(businesses)) },
    { ...row('deleteBusiness', 'DELETE', one, admins), handle: withBusinessRejections(deleteBusiness(businesses)) },
    { ...row('restoreBusiness', 'POST', `${one}/restore`, admins), recorded: preview, handle: restore },
    { ...row('revertBusiness', 'POST', `${one}/revert`, editors), recorded: preview, handle: revert },
    { ...row('addOwner', 'POST', owner, editors), handle: withBusinessRejections(addOwner(businesses)) },
    { ...row('updateOwner', 'PUT', owner, editors), handle: update },
    { ...row('updateOwnerByPath', 'PUT', named, editors), handle: update },
    { ...row('removeOwner', 'DELETE', owner, admins), handle: remove },
    { ...row('removeOwnerByPath', 'DELETE', named, admins), handle: remove },
  ];
};

/** Without `links`, none are made. */
export const businessRoutes = (businesses: Businesses, links?: Links): ReadonlyArray<Route> => [
  ...reading(businesses),
  ...linkEventsRows(links, businesses, {
    purpose: linkedAs.events,
    making: row('linkBusinessEvents', 'POST', `${one}/events/link`, auditors),
    using: described('followLinkedBusinessEvents'),
    recorded: always,
  }),
  ...changing(businesses),
];
