/* The extension module `ready`: kernels compiled ahead of time, and what they need of CPython and of numba's runtime.
 *
 * numba's own sources, which come with it, are included and compiled here; tables.h is made by build.py. Compile with LEVEL, the
 * name of the level of processors that the kernels are for.
 */
#define PYCC_MODULE_NAME ready
#define PYCC_USE_NRT 1
#include "pycc/modulemixin.c"
#include "tables.h" /* entries[]: functions that CPython calls; environments[]: where they look for their constants */

#define NUMBER(table) ((Py_ssize_t)(sizeof(table) / sizeof(table)[0]))

static PyObject *unpickler;

/* Called by kernels for what they have as pickles: classes of named tuples, errors that they raise. */
PyObject *irci_unpickle(const char *data, int size, const char *digest) {
    return PyObject_CallFunction(unpickler, "y#y#", data, (Py_ssize_t)size, digest, (Py_ssize_t)20);
}

/* numba has kernels take PyExc_ValueError for the class; to whoever links with CPython it is a variable that points to the class. */
void irci_set_string(PyObject **kind, const char *text) { PyErr_SetString(*kind, text); }

void irci_set_none(PyObject **kind) { PyErr_SetNone(*kind); }

PyObject *irci_format(PyObject **kind, const char *format, ...) {
    va_list rest;
    va_start(rest, format);
    PyErr_FormatV(*kind, format, rest);
    va_end(rest);
    return NULL;
}

/* Fill an environment and put it where kernels look; it stays for ever, as the library does. A new reference. */
static EnvironmentObject *environment(Py_ssize_t number, PyObject *constants, PyObject *globals) {
    if (number < 0 || number >= NUMBER(environments)) {
        PyErr_SetString(PyExc_IndexError, "no such environment");
        return NULL;
    }
    EnvironmentObject *made = env_new_empty(&EnvironmentType);
    if (made != NULL) {
        made->consts = Py_NewRef(constants);
        made->globals = Py_NewRef(globals);
        *environments[number] = Py_NewRef((PyObject *)made);
    }
    return made;
}

/* make(module, name, doc, globals, entry, {environment: constants}, own environment): a function. */
static PyObject *make(PyObject *self, PyObject *arguments) {
    PyObject *module, *name, *doc, *globals, *constants, *key, *value, *made;
    Py_ssize_t entry, own, place = 0;
    EnvironmentObject *mine = NULL;
    if (!PyArg_ParseTuple(arguments, "OUUO!nO!n", &module, &name, &doc, &PyDict_Type, &globals, &entry, &PyDict_Type,
                          &constants, &own))
        return NULL;
    while (PyDict_Next(constants, &place, &key, &value)) {
        Py_ssize_t number = PyLong_AsSsize_t(key);
        EnvironmentObject *each = environment(number, value, globals);
        if (each == NULL) {
            Py_XDECREF(mine);
            return NULL;
        }
        if (number == own)
            mine = each;
        else
            Py_DECREF(each);
    }
    if (mine == NULL || entry < 0 || entry >= NUMBER(entries)) {
        Py_XDECREF(mine);
        PyErr_SetString(PyExc_IndexError, "no such kernel");
        return NULL;
    }
    made = pycfunction_new(module, name, doc, (PyCFunction)entries[entry], mine, NULL);
    Py_DECREF(mine);
    return made;
}

/* begin(unpickler): called with a pickle and its hash. */
static PyObject *begin(PyObject *self, PyObject *function) {
    Py_XSETREF(unpickler, Py_NewRef(function));
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {{"make", make, METH_VARARGS, NULL}, {"begin", begin, METH_O, NULL}, {NULL}};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "ready", NULL, -1, methods};

PyMODINIT_FUNC PyInit_ready(void) {
    /* Nothing before this is compiled for more than the least of processors. */
    if (!__builtin_cpu_supports(LEVEL)) {
        PyErr_SetString(PyExc_ImportError, "this processor is not of level " LEVEL);
        return NULL;
    }
    PyObject *module = PyModule_Create(&definition);
    if (module == NULL)
        return NULL;
    NRT_MemSys_init();
    if (!init_numpy() || init_dynfunc_module(module) || init_nrt_python_module(module)) {
        Py_DECREF(module);
        return NULL;
    }
    return module;
}
