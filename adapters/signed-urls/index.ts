/** Signed PUT and GET URLs for object stores without a server of their own, and the routes that serve them. */
export { makeServedStore, type ServedDriver } from "./makeServedStore.ts"
export { routes } from "./routes.ts"
export { ObjectSink, SignedUrls, WrongLength } from "./SignedUrls.ts"
export type { IncomingObject } from "./SignedUrls.ts"
