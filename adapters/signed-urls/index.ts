/** Signed PUT and GET URLs for object stores without a server of their own, and the routes that serve them. */
export { makeServedStore, type ServedDriver } from "./makeServedStore.ts"
export * from "./routes.ts"
export * from "./SignedUrls.ts"
