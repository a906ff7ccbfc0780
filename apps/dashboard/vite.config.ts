import { defineConfig } from 'vite'

const BROKER = 'http://127.0.0.1:8090'

export default defineConfig({
  build: {
    target: 'es2022',
    // The broker forbids inline content (CSP): everything is a file.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: {
    proxy: {
      '/data': {
        target: BROKER,
        changeOrigin: true,
        // The broker answers only its own origin, and in development the page has another.
        configure: (proxy) => proxy.on('proxyReq', (request) => request.removeHeader('origin')),
      },
    },
  },
})
