/** Node's error codes for a certificate that does not prove the identity of the server. */
const codes = /^(ERR_TLS_|CERT_|DEPTH_|SELF_SIGNED_|UNABLE_TO_)/;

/** Whether a connection failed because the certificate of the server cannot be trusted. */
export const isUntrusted = ({ code = '' }: { code?: string }): boolean => codes.test(code);
