// What web/instance.js gives to the modules beside what Emscripten knows of: named here for the linker's sake.
addToLibrary({ gd_thread_sleep() {} });
