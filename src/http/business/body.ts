import type * as t from 'io-ts';
import { businessFieldNames, type BusinessFields } from '../../domain/business/events.js';
import { keyOf } from '../../read/business-view.js';
import { fields } from '../fields/fields-type.js';
import { addressLine } from '../fields/address-line.js';
import { Amount } from '../fields/amount.js';
import { explain, named } from '../fields/json-schema.js';
import { nonBlankText, requiredText, text } from '../fields/text.js';
import { Website } from '../fields/website.js';
import { revertBody } from '../record/undo-request.js';
import { businessMeanings } from './meanings.js';

const businessFields = {
  name: requiredText(),
  displayName: text(),
  businessType: nonBlankText(64),
  dba: text(),
  email: text(),
  phone: text(),
  website: Website,
  netWorth: Amount,
  revenue: Amount,
  ein: text(),
  parent: text(),
  line1: addressLine(1000),
  line2: addressLine(1000),
  city: addressLine(),
  state: addressLine(),
  zip: addressLine(),
  country: addressLine(),
} satisfies Record<keyof BusinessFields, t.Mixed>;

// So that a client may edit and send back what it was given.
const aliases = { displayName: keyOf('displayName') };

export const CreateBusinessBody = named(
  'NewBusiness',
  explain(
    { ...businessMeanings, '': 'A business to be created.' },
    fields(businessFields, { required: ['name'], aliases }),
  ),
);

/** Absent keeps, null clears; `name` cannot be cleared. */
export const UpdateBusinessBody = named(
  'BusinessChanges',
  explain(
    { ...businessMeanings, '': 'What is to change of a business: null clears, what is absent stays.' },
    fields(businessFields, { aliases }),
  ),
);

/** Fields by the keys that GET answers, and by those that are sent. */
export const RevertBusinessBody = revertBody(
  'BusinessRevert',
  Object.fromEntries(businessFieldNames.flatMap((name) => [name, keyOf(name)].map((key) => [key, name]))),
);
