/** The viewer's icon: a hull. */
export const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<style>path { fill: #0a6570 } @media (prefers-color-scheme: dark) { path { fill: #6fcfd3 } }</style>
<path d="M1 8h30l-6 17H7z"/>
</svg>
`
