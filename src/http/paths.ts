/** Where the API begins, version segment included. */
export const API = '/api/v1';

/** Where the interface for auditors begins, version segment included. */
export const AUDIT_API = '/audit/v1';

/** Where the transparency log begins; the version is that of its format. */
export const TLOG = '/tlog';

/** Where links for a while lead: outside of the interfaces, whose operations ask for a token. */
export const LINK = '/link';
