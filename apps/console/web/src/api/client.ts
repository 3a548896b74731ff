import { ApiClient, ProblemError, type SendToApi } from '#api-client';
import { lastSeen } from './last-seen.js';

const key = 'curtail-token';

/** The token of this tab. It is kept no longer than the tab, and is sent to this server alone. */
export const token = {
  get: () => sessionStorage.getItem(key) ?? undefined,
  set: (value: string) => sessionStorage.setItem(key, value),
  remove: () => sessionStorage.removeItem(key),
};

/** The link that a start prints carries the token once: this tab keeps it, and its address and history do not. */
export function takeTokenOfLink(): void {
  const given = /^#token=([\w.~-]+)$/.exec(location.hash)?.[1];
  if (given === undefined) return;
  token.set(given);
  history.replaceState(history.state, '', `${location.pathname}${location.search}`);
}

/** A client with the token of this tab. */
export function api(): ApiClient {
  return apiWith(token.get());
}

/** A client with another token, or none. */
export const apiWith = (own: string | undefined) =>
  new ApiClient({ address: location.origin, ...(own !== undefined && { token: own }), fetch: send });

/** A read may be answered as another page's; anything else may be a command. */
const send: SendToApi = (url, request) => {
  if (request.method !== 'GET') return fetch(url, request).finally(lastSeen.commanded);
  const id = lastSeen.get();
  return fetch(url, {
    ...request,
    headers: { ...request.headers, ...(id !== undefined && { 'curtail-last-seen': id }) },
  });
};

/** Whether a request was refused because it carried no token, or a wrong one. */
export const needsToken = (error: unknown) => error instanceof ProblemError && error.problem.status === 401;

/** The code of a refusal; undefined: another error. */
export const codeOf = (error: unknown) =>
  error instanceof ProblemError ? error.problem.type?.replace('urn:curtail:problem:', '') : undefined;

/** Whether the same request may be answered later: none was, or the server failed. */
export const mayPass = (error: unknown) =>
  error instanceof TypeError || (error instanceof ProblemError && error.problem.status >= 500);

/** An error in words, with its remedy. */
export function wordsOf(error: unknown): { title: string; detail: string; remedy?: string } {
  if (error instanceof ProblemError) {
    const { title, detail, remedy } = error.problem;
    return { title: title ?? 'Refused', detail: detail ?? '', ...(remedy !== undefined && { remedy }) };
  }
  if (error instanceof TypeError)
    return {
      title: 'No answer',
      detail: 'The server cannot be reached.',
      remedy: 'Check that Curtail runs.',
    };
  return { title: 'Error', detail: error instanceof Error ? error.message : String(error) };
}
