/** The `request` of the module for a URL: TLS is loaded only where it is used, because that takes long. */
export const nodeRequest = async (url: string): Promise<typeof import("node:http").request> => {
  const { request } = url.startsWith("https:") ? await import("node:https") : await import("node:http")
  return request
}
