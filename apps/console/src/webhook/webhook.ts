/** Nest token of the webhook of this installation: a `Webhook`, or null. */
export const WEBHOOK = Symbol('Webhook');
