/** Where the API begins, version segment included. */
export const API = '/api/v1';
