/** Who may be an owner of a business. */
export const USERS = ['ann', 'bob', 'eve'];
