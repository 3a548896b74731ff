import { createParser } from 'eventsource-parser';

/** A message of server-sent events. */
export interface Message {
  id: string | undefined;
  /** `message` unless the server names another. */
  type: string;
  data: string;
}

/**
 * Reads the messages of a response until it ends. The browser's EventSource sends no token, so the page reads the stream itself.
 * https://html.spec.whatwg.org/multipage/server-sent-events.html
 */
export async function readMessages(
  body: ReadableStream<Uint8Array>,
  onMessage: (message: Message) => void,
  onBytes: () => void,
): Promise<void> {
  const parser = createParser({
    onEvent: ({ id, event, data }) => onMessage({ id, type: event ?? 'message', data }),
  });
  const decoder = new TextDecoder();
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    onBytes();
    parser.feed(decoder.decode(value, { stream: true }));
  }
}
