import type { Business } from '../domain/business/state.js';
import type { BusinessFields, Owner } from '../domain/business/events.js';

/** A business as it is answered; its keys come in the order in which `renderBusiness` names them. */
export type BusinessView = Omit<BusinessFields, 'displayName'> & {
  readonly _id: string;
  readonly displayname: string | null;
  readonly owners: ReadonlyArray<Owner>;
};

/** The owner as answered; it has no identifier but its `user`. */
export const renderOwner = ({ user, title, equity }: Owner): string => JSON.stringify({ user, title, equity });

/** The JSON text of a business as every GET and every write answers it. */
export const renderBusiness = (id: string, { fields, owners }: Business): string =>
  JSON.stringify({
    _id: id,
    businessType: fields.businessType,
    name: fields.name,
    dba: fields.dba,
    displayname: fields.displayName,
    email: fields.email,
    phone: fields.phone,
    website: fields.website,
    netWorth: fields.netWorth,
    revenue: fields.revenue,
    ein: fields.ein,
    parent: fields.parent,
    line1: fields.line1,
    line2: fields.line2,
    city: fields.city,
    state: fields.state,
    zip: fields.zip,
    country: fields.country,
    owners: owners.map(({ user, title, equity }) => ({ user, title, equity })),
  } satisfies BusinessView);
