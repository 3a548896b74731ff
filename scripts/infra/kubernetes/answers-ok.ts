import http from 'node:http';
import https from 'node:https';

const answerMs = 2000;

/** Whether an address answers 200. Never rejects. */
export function answersOk(url: string, { ca, token }: { ca: string; token: string }): Promise<boolean> {
  const { get } = url.startsWith('https:') ? https : http;
  return new Promise((resolve) => {
    const request = get(
      url,
      { ca, agent: false, headers: { authorization: `Bearer ${token}` }, timeout: answerMs },
      (response) => {
        response.resume();
        resolve(response.statusCode === 200);
      },
    );
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve(false));
  });
}
