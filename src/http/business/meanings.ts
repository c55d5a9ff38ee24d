import type { BusinessFields, Owner } from '../../domain/business/events.js';

/** What the fields of a business mean, wherever they are: in what is sent, in what is answered and in events. */
export const businessMeanings = {
  businessType: 'The kind of business; any word, such as C-Corp.',
  name: 'Its legal name.',
  dba: 'The name that it trades under.',
  displayName: 'How it is called where it is shown.',
  displayname: 'How it is called where it is shown; the key of a request is displayName.',
  email: 'Its address for mail.',
  phone: 'Its telephone number, as it was given.',
  website: 'Where it is on the web: an http(s) URL or a host name.',
  netWorth: 'What it is worth, less what it owes.',
  revenue: 'What it earns, before costs.',
  ein: 'Its tax identifier.',
  parent: 'The _id of the business that it belongs to; it need not be there.',
  line1: 'Its address, first line.',
  line2: 'Its address, second line.',
  city: 'The city of its address.',
  state: 'The state or province of its address.',
  zip: 'The postal code of its address.',
  country: 'The country of its address.',
} satisfies Record<keyof BusinessFields | 'displayname', string>;

export const ownerMeanings = {
  user: 'Identifies the user who owns, and so the owner.',
  title: 'What the owner is in the business.',
  equity: 'The share that is owned, in whatever unit the client uses; nothing is added up.',
} satisfies Record<keyof Owner, string>;
